package prometheus

import (
	"net/http"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// mostScrapes is how many are answered at once; further ones are told to come
	// back later.
	mostScrapes = 4
	// scrapeTime is how long one may take.
	scrapeTime = 10 * time.Second
)

// Handler serves what is counted, in the formats of Prometheus and OpenMetrics,
// with the memory, the processor time and the runtime of the process. What a part
// cannot tell is left out; the rest is served.
func Handler(o Options) http.Handler {
	registry := client.NewRegistry()
	registry.MustRegister(NewCollector(o), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	serve := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: mostScrapes, Timeout: scrapeTime, EnableOpenMetrics: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "use GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		serve.ServeHTTP(w, r)
	})
}
