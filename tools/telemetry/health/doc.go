// Package health reports the health of a server to load balancers and monitors. A Checker runs
// named checks in parallel, each with a timeout. As an http.Handler it returns status 200 while all
// required checks pass, and 503 otherwise.
//
//	checker, err := health.New(health.Options{Checks: []health.Check{{Name: "plugins", Run: plugins}}})
//	http.Handle("/readyz", checker)
//	http.HandleFunc("/livez", health.Live)
//
// Reports are cached for Options.CacheTime, so frequent probes cause little work. The response contains
// the details of each check for the operators of the server; Options.Brief removes them for public
// endpoints.
package health
