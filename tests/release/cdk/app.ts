// A user's app: a stack with the construct of the release. Writes the synthesis to the folder of the second argument.
import { App, Stack } from 'aws-cdk-lib';
import { Taxonomy } from './taxonomy';

const [release, outdir, name = 'taxonomy'] = process.argv.slice(2);
if (release === undefined || outdir === undefined) throw new Error('usage: app RELEASE OUTDIR');
const app = new App({ outdir });
const stack = new Stack(app, name, { env: { region: 'us-east-1' } });
new Taxonomy(stack, 'Taxonomy', { release, parameters: { Stage: 'local', AuthMode: 'none' } });
app.synth();
