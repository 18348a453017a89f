// Package errorclass classifies errors by their code. Of returns the Kind of a code: severity,
// whether a retry can help, the JSON-RPC code, and a message for the user in English or Japanese.
// ByCaller separates mistakes of the caller from failures of the server. Middleware adds the
// classification to every error of a server, and reports each one to a function for logs and
// alerts.
package errorclass
