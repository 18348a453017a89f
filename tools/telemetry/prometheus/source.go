package prometheus

import "time"

// Connections tell of who is connected, as access.Stats does: one can be converted
// to the other.
type Connections struct {
	// Active are those that there are, of at most Max, and Total those that there
	// ever were.
	Active int   `json:"active"`
	Max    int   `json:"max"`
	Total  int64 `json:"total"`
	// ByClient are the active ones, and TotalByClient all, by the kind of client.
	ByClient      map[string]int   `json:"byClient"`
	TotalByClient map[string]int64 `json:"totalByClient"`
	// Refused are requests that were refused, by the code of their error.
	Refused map[string]int64 `json:"refused"`
}

// Breaker tells of a circuit breaker.
type Breaker struct {
	Name string
	// State is "closed" while all is well, "open" or "half-open".
	State string
	// Failures are those in a row.
	Failures int
}

// Index tells of a search index.
type Index struct {
	Name string
	// State is what it does: "ready", "building" …
	State                  string
	Files, Pieces, Pending int
	// Source and Disk are the sizes of the files and of the index, in bytes.
	Source, Disk int64
	// Checked is when the files were last looked at.
	Checked time.Time
}

// Cache tells of a cache.
type Cache struct {
	Name         string
	Entries      int
	Hits, Misses int64
}

// Sources tell, whenever they are asked, what else is shown. They answer at once.
// A nil one has nothing to tell.
type Sources struct {
	Connections func() Connections
	Breakers    func() []Breaker
	Indexes     func() []Index
	Caches      func() []Cache
}
