/** A request as a program, in five languages. */

/**
 * @typedef {"none" | "jwt" | "signed"} Auth How requests are authenticated: not at all, by a token, or by a signature (IAM).
 * @typedef {{ method: string, url: string, body?: string, auth: Auth }} Request
 */

/** A word that a shell takes as it is. @param {string} text */
const shell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
/** A text in quotes, as JSON, JavaScript, Python, Java and C# read it. @param {string} text */
const literal = (text) => JSON.stringify(text);
/** @param {(string | false | undefined)[]} all */
const lines = (...all) => all.filter((line) => typeof line === "string").join("\n");

/** @param {Request} request */
function curl({ method, url, body, auth }) {
  const options = [
    "curl --fail-with-body --compressed",
    auth === "jwt" && `--header "Authorization: Bearer $TAXONOMY_TOKEN"`,
    auth === "signed" && `--aws-sigv4 "aws:amz:$AWS_REGION:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"`,
    auth === "signed" && `--header "X-Amz-Security-Token: $AWS_SESSION_TOKEN"`,
    method !== "GET" && `--header "Content-Type: application/json"`,
    body !== undefined && `--data ${shell(body)}`,
    shell(url),
  ];
  return options.filter(Boolean).join(" \\\n  ");
}

/** @param {Request} request */
function python({ method, url, body, auth }) {
  if (auth === "signed")
    return lines(
      "import boto3, requests",
      "from botocore.auth import SigV4Auth",
      "from botocore.awsrequest import AWSRequest",
      "",
      "session = boto3.Session()",
      `request = AWSRequest(method=${literal(method)}, url=${literal(url)}${body === undefined ? "" : `, data=${literal(body)}, headers={"Content-Type": "application/json"}`})`,
      'SigV4Auth(session.get_credentials(), "execute-api", session.region_name).add_auth(request)',
      `response = requests.request(request.method, request.url, headers=dict(request.headers)${body === undefined ? "" : ", data=request.data"})`,
      "response.raise_for_status()",
      "print(response.json())",
    );
  return lines(
    auth === "jwt" ? "import json, os, urllib.request" : "import json, urllib.request",
    "",
    `request = urllib.request.Request(${literal(url)}${body === undefined ? "" : `, data=${literal(body)}.encode()`})`,
    body !== undefined && 'request.add_header("Content-Type", "application/json")',
    auth === "jwt" && 'request.add_header("Authorization", "Bearer " + os.environ["TAXONOMY_TOKEN"])',
    "with urllib.request.urlopen(request) as response:",
    "    print(json.load(response))",
  );
}

/** @param {Request} request */
function typescript({ method, url, body, auth }) {
  const headers = [body !== undefined && '"Content-Type": "application/json"', auth === "jwt" && "Authorization: `Bearer ${process.env.TAXONOMY_TOKEN}`"].filter(Boolean);
  const options = [method !== "GET" && `method: ${literal(method)}`, headers.length > 0 && `headers: { ${headers.join(", ")} }`, body !== undefined && `body: ${literal(body)}`].filter(Boolean);
  return lines(
    auth === "signed" && UNSIGNED("//"),
    `const response = await fetch(${literal(url)}${options.length ? `, {\n  ${options.join(",\n  ")},\n}` : ""});`,
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(await response.json());",
  );
}

/** @param {Request} request */
function java({ method, url, body, auth }) {
  return lines(
    auth === "signed" && UNSIGNED("//"),
    "import java.net.URI;",
    "import java.net.http.*;",
    "",
    "class Ask {",
    "  public static void main(String[] arguments) throws Exception {",
    `    var request = HttpRequest.newBuilder(URI.create(${literal(url)}))`,
    body !== undefined && '        .header("Content-Type", "application/json")',
    auth === "jwt" && '        .header("Authorization", "Bearer " + System.getenv("TAXONOMY_TOKEN"))',
    body !== undefined && `        .method(${literal(method)}, HttpRequest.BodyPublishers.ofString(${literal(body)}))`,
    "        .build();",
    "    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
    "    if (response.statusCode() != 200) throw new IllegalStateException(response.body());",
    "    System.out.println(response.body());",
    "  }",
    "}",
  );
}

/** @param {Request} request */
function csharp({ method, url, body, auth }) {
  return lines(
    auth === "signed" && UNSIGNED("//"),
    "using System.Text;",
    "",
    "using var client = new HttpClient();",
    auth === "jwt" && 'client.DefaultRequestHeaders.Authorization = new("Bearer", Environment.GetEnvironmentVariable("TAXONOMY_TOKEN"));',
    `using var request = new HttpRequestMessage(new HttpMethod(${literal(method)}), ${literal(url)});`,
    body !== undefined && `request.Content = new StringContent(${literal(body)}, Encoding.UTF8, "application/json");`,
    "using var response = await client.SendAsync(request);",
    "response.EnsureSuccessStatusCode();",
    "Console.WriteLine(await response.Content.ReadAsStringAsync());",
  );
}

/** @param {string} comment */
const UNSIGNED = (comment) => `${comment} Not signed yet: sign the request with your AWS SDK, service execute-api. A colon in the path is signed as %3A.`;

/** By the name of the language. */
export const SAMPLES = { curl, Python: python, TypeScript: typescript, Java: java, "C#": csharp };
