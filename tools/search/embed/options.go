package embed

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Defaults of Options. DefaultText is in bytes.
const (
	DefaultBatch    = 32
	DefaultText     = 6000
	DefaultTimeout  = 30 * time.Second
	DefaultAttempts = 4
)

// Options configure an embedding server. URL and Model are required.
type Options struct {
	// URL is the base URL of the server, for example "https://api.openai.com/v1" or "http://localhost:11434". It must not
	// contain a user, query or fragment.
	URL string
	// Key is sent as a bearer token; empty for none. It is redacted from errors.
	Key string
	// Model is the name of the model at the server.
	Model string
	// Dimensions requests vectors of this size, if the model supports it. 0 means the size that the model returns.
	Dimensions int
	// Batch is the number of texts per request. 0 means DefaultBatch.
	Batch int
	// MaxText is the maximum length of a text in bytes; longer texts are cut. 0 means DefaultText.
	MaxText int
	// Timeout limits one request. 0 means DefaultTimeout.
	Timeout time.Duration
	// Attempts is the number of attempts for a request that fails temporarily: the server is busy or unreachable, or the
	// connection breaks. 0 means DefaultAttempts.
	Attempts int
	// Transport sends the requests. nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// validate returns the options with defaults, or the error of an invalid option.
func (o Options) validate() (Options, error) {
	at, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return o, fmt.Errorf("the URL of the embedding server is malformed") // the error of url.Parse could contain a key
	case at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return o, fmt.Errorf("the URL of the embedding server must begin with http:// or https:// and name a host")
	case at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return o, fmt.Errorf("the URL of the embedding server must have no user, query or fragment; set the key separately")
	case o.Model == "":
		return o, fmt.Errorf("the name of the embedding model is missing")
	case o.Dimensions < 0 || o.Dimensions > MaxDimensions:
		return o, fmt.Errorf("the number of dimensions %d is not between 0 and %d", o.Dimensions, MaxDimensions)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r < ' ' || r > '~' }):
		return o, fmt.Errorf("the key of the embedding server contains invalid characters")
	}
	o.URL = strings.TrimRight(o.URL, "/")
	or := func(n *int, value int) {
		if *n <= 0 {
			*n = value
		}
	}
	or(&o.Batch, DefaultBatch)
	or(&o.MaxText, DefaultText)
	or(&o.Attempts, DefaultAttempts)
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return o, nil
}
