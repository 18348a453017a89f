package prometheus

import (
	"net/http"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// mostScrapes is the largest number of concurrent scrapes. Further ones get status 503.
	mostScrapes = 4
	// scrapeTime limits the duration of a scrape.
	scrapeTime = 10 * time.Second
)

// Handler returns a handler for scrapes in the formats of Prometheus and OpenMetrics. It adds the
// memory, the processor time and the Go runtime of the process. If a collector fails, the other
// metrics are still served. Methods other than GET and HEAD get status 405.
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
