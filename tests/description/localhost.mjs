// Names below `localhost` are the loopback address (RFC 6761, section 6.3); Node asks the system, which may not know that.
import dns from "node:dns";

const lookup = dns.lookup;
dns.lookup = (name, options, done) => lookup(name.endsWith(".localhost") ? "localhost" : name, options, done);
