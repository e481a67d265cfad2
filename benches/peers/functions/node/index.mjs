// The lookup of a term as a team would write it in Node.js: an item of the table by the AWS SDK, in a plain loop over the runtime API.
// The line of each ancestor in `Lineage` begins with its id and its name, with TABs between them.
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const client = new DynamoDBClient({});

async function answer(event) {
  const { tenant, id } = event.pathParameters;
  const key = { S: `TERM#${tenant}#${id}` };
  const { Item: item } = await client.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key: { PK: key, SK: key } }));
  if (!item) return { statusCode: 404, body: "{}" };
  const category = item.FinalName.S.slice(0, item.FinalName.S.length - item.Name.S.length);
  const lines = item.Lineage ? item.Lineage.S.split("\n") : [];
  const ancestors = lines.map((line) => {
    const [above, name] = line.split("\t");
    return { id: Number(above), name, finalName: category + name };
  });
  const body = { tenant, id: Number(id), name: item.Name.S, finalName: item.FinalName.S, culture: item.Culture.S, ancestors };
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

for (;;) {
  const next = await fetch(`${api}/next`);
  const response = await answer(await next.json());
  const id = next.headers.get("lambda-runtime-aws-request-id");
  await (await fetch(`${api}/${id}/response`, { method: "POST", body: JSON.stringify(response) })).arrayBuffer();
}
