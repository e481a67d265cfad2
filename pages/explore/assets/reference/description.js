/** The OpenAPI document of the stack, as far as the page shows it: references resolved, HEAD left out, since each GET has one. */

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {{ name: string, summary?: string, description?: string, value: unknown }} Example
 * @typedef {{ type: string, schema?: Schema, examples: Example[] }} Content
 * @typedef {{ status: string, description: string, headers: { name: string, description: string }[], contents: Content[] }} Answer
 * @typedef {{ name: string, place: "path" | "query" | "header", description: string, isRequired: boolean, schema: Schema, example?: unknown }} Parameter
 *
 * @typedef {object} Operation
 * @property {string} id
 * @property {"GET" | "POST"} method
 * @property {string} path Below the address of the stack, from `/v1` on.
 * @property {string} tag
 * @property {string} summary
 * @property {string} description
 * @property {Parameter[]} parameters
 * @property {Content} [body]
 * @property {Answer[]} answers
 * @property {boolean} isPublic
 */

/** Where a schema is used that has a name. */
const SCHEMAS = "#/components/schemas/";

export class Description {
  /** @param {any} document */
  constructor(document) {
    this.document = document;
    /** @type {{ name: string, description: string }[]} */
    this.tags = document.tags;
    /** @type {Operation[]} */
    this.operations = Object.entries(document.paths).flatMap(([path, item]) => ["get", "post"].flatMap((method) => (item[method] ? [this.#operation(path, method, item[method])] : [])));
  }

  /** The examples of problems, by their codes, in the order of the document. */
  get problems() {
    const answers = /** @type {any[]} */ (Object.values(this.document.components.responses));
    const all = answers.flatMap((answer) => this.#answer("", answer).contents.filter(({ type }) => type === "application/problem+json").flatMap(({ examples }) => examples));
    return [...new Map(all.map((example) => [example.name, example])).values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * What a reference names, else the value itself.
   * @param {any} value
   * @returns {any}
   */
  resolve(value) {
    const reference = value?.$ref;
    if (typeof reference !== "string") return value;
    const path = reference.slice(2).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    return this.resolve(path.reduce((found, part) => found?.[part], this.document));
  }

  /**
   * A schema as words: its type, or the name that the document gives it.
   * @param {Schema | undefined} schema
   * @returns {string}
   */
  typeOf(schema) {
    if (!schema) return "any";
    if (schema.$ref) return schema.$ref.slice(SCHEMAS.length);
    if (schema.oneOf) return schema.oneOf.map((/** @type {Schema} */ one) => this.typeOf(one)).join(" or ");
    if (schema.type === "array") return `array of ${this.typeOf(schema.items)}`;
    if (schema.enum) return schema.enum.map((/** @type {unknown} */ one) => JSON.stringify(one)).join(" or ");
    if (schema.additionalProperties && !schema.properties) return schema.additionalProperties === true ? "object" : `object of ${this.typeOf(schema.additionalProperties)}`;
    return [schema.type ?? "any", schema.format].filter(Boolean).join(", ");
  }

  /**
   * The members below a schema: of the object, of the items, or of the objects that it may be.
   * @param {Schema | undefined} schema
   * @returns {{ name: string, isRequired: boolean, schema: Schema, description: string }[]}
   */
  membersOf(schema) {
    const found = this.resolve(schema);
    if (!found) return [];
    if (found.type === "array") return this.membersOf(found.items);
    if (found.oneOf) return found.oneOf.flatMap((/** @type {Schema} */ one) => this.membersOf(one));
    if (!found.properties && typeof found.additionalProperties === "object") return this.membersOf(found.additionalProperties);
    return Object.entries(found.properties ?? {}).map(([name, member]) => ({
      name,
      isRequired: found.required?.includes(name) ?? false,
      schema: member,
      description: member.description ?? this.resolve(member)?.description ?? "",
    }));
  }

  /**
   * @param {string} path
   * @param {string} method
   * @param {any} found
   * @returns {Operation}
   */
  #operation(path, method, found) {
    const [body] = this.#contents(found.requestBody?.content);
    return {
      id: found.operationId,
      method: method === "get" ? "GET" : "POST",
      path,
      tag: found.tags[0],
      summary: found.summary ?? "",
      description: found.description ?? "",
      parameters: (found.parameters ?? []).map((/** @type {any} */ parameter) => this.#parameter(this.resolve(parameter))),
      ...(body && { body }),
      answers: Object.entries(found.responses).map(([status, answer]) => this.#answer(status, answer)),
      isPublic: found.security !== undefined,
    };
  }

  /** @param {any} found @returns {Parameter} */
  #parameter(found) {
    return { name: found.name, place: found.in, description: found.description ?? "", isRequired: found.required ?? false, schema: found.schema, example: found.example };
  }

  /** @param {string} status @param {any} answer @returns {Answer} */
  #answer(status, answer) {
    const { description, headers = {}, content } = this.resolve(answer);
    return {
      status,
      description,
      headers: Object.entries(headers).map(([name, header]) => ({ name, description: this.resolve(header).description ?? "" })),
      contents: this.#contents(content),
    };
  }

  /** @param {Record<string, any>} [content] @returns {Content[]} */
  #contents(content = {}) {
    return Object.entries(content).map(([type, { schema, example, examples = {} }]) => ({
      type,
      schema,
      examples: [
        ...(example === undefined ? [] : [{ name: "", value: example }]),
        ...Object.entries(examples).map(([name, found]) => ({ name, ...this.resolve(found) })),
      ],
    }));
  }
}

/**
 * The operations that have every word of a text, in their path, names or descriptions.
 * @param {Operation[]} operations
 * @param {string} text
 */
export function matching(operations, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ id, method, path, summary, description, parameters }) => {
    const all = [id, method, path, summary, description, ...parameters.flatMap((parameter) => [parameter.name, parameter.description])].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
