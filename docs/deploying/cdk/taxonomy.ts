import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stack, Token } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { Construct } from 'constructs';

export interface TaxonomyProps {
  /** The folder of the unpacked release. */
  readonly release: string;
  /** Parameters of the template, but for those of the code. */
  readonly parameters?: Record<string, string>;
}

/** The taxonomy service out of an unpacked release. CloudFormation expands the template, which is why this needs no Rust and no SAM. */
export class Taxonomy extends Construct {
  /** The resources and outputs of the template, by their logical ids. */
  readonly template: CfnInclude;

  constructor(scope: Construct, id: string, { release, parameters }: TaxonomyProps) {
    super(scope, id);
    // It is part of the names of buckets, which would refuse `TaxonomyStack` after minutes of a deployment.
    const { stackName } = Stack.of(this);
    if (!Token.isUnresolved(stackName) && !/^[a-z][a-z0-9-]{0,18}[a-z0-9]$/.test(stackName)) {
      throw new Error(`the stack's name ${stackName} is not 2 to 20 lower case letters, digits and hyphens: set stackName`);
    }
    const functions = join(release, 'functions');
    const code: Record<string, string> = {};
    for (const file of readdirSync(functions)) {
      const [name = file] = file.split('-');
      const asset = new Asset(this, name, { path: join(functions, file) });
      code[`${name.charAt(0).toUpperCase()}${name.slice(1)}Key`] = asset.s3ObjectKey;
      code.CodeBucket = asset.s3BucketName;
    }
    this.template = new CfnInclude(this, 'Template', {
      templateFile: join(release, 'cloudformation.yaml'),
      parameters: { ...code, ...parameters },
    });
  }
}
