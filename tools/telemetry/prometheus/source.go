package prometheus

import "time"

// Connections has the counts of network connections. access.Stats has the same fields, so one
// converts to the other.
type Connections struct {
	// Active is the number of open connections, Max its limit, and Total the number since the
	// start.
	Active int   `json:"active"`
	Max    int   `json:"max"`
	Total  int64 `json:"total"`
	// ByClient has Active, and TotalByClient has Total, by the kind of client.
	ByClient      map[string]int   `json:"byClient"`
	TotalByClient map[string]int64 `json:"totalByClient"`
	// Refused counts the refused requests by error code.
	Refused map[string]int64 `json:"refused"`
}

// Breaker is the state of a circuit breaker.
type Breaker struct {
	// Name is the label of the metrics.
	Name string
	// State is "closed" in normal operation, "open" or "half-open".
	State string
	// Failures is the number of consecutive failures.
	Failures int
}

// Index is the state of a search index.
type Index struct {
	// Name is the label of the metrics.
	Name string
	// State is the present activity, for example "ready" or "building".
	State string
	// Files and Pieces are the indexed numbers. Pending is the number of changed files that are not
	// indexed yet.
	Files, Pieces, Pending int
	// Source is the size of the files, and Disk that of the index, in bytes.
	Source, Disk int64
	// Checked is the time of the last complete check of the files; zero if there was none.
	Checked time.Time
}

// Cache has the counts of a cache.
type Cache struct {
	// Name is the label of the metrics.
	Name string
	// Entries is the present number of entries.
	Entries int
	// Hits and Misses count lookups with and without a cached result.
	Hits, Misses int64
}

// Sources are functions that return further metrics at each scrape. They must not block. A nil
// function exports nothing.
type Sources struct {
	// Connections returns the network connections.
	Connections func() Connections
	// Breakers returns the circuit breakers.
	Breakers func() []Breaker
	// Indexes returns the search indexes.
	Indexes func() []Index
	// Caches returns the caches.
	Caches func() []Cache
}
