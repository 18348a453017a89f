// Package health tells whether a server is well: named checks run side by side,
// each within its time, and a handler answers 200 while all of them pass and 503
// while one does not, for what watches over the server.
//
//	checker, err := health.New(health.Options{Checks: []health.Check{{Name: "plugins", Run: plugins}}})
//	http.Handle("/readyz", checker)
//	http.HandleFunc("/livez", health.Live)
//
// The answer says what each check found. That is for those who run the server; for
// others Options.Brief leaves it out.
package health
