package embed

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Defaults of Options.
const (
	DefaultBatch    = 32
	DefaultText     = 6000
	DefaultTimeout  = 30 * time.Second
	DefaultAttempts = 4
)

// Options say where a server is and how it is asked.
type Options struct {
	// URL is where the server is: "https://api.openai.com/v1",
	// "http://localhost:11434". It has no user, query or fragment.
	URL string
	// Key is sent as a bearer token, if it is not empty. No error and no log has it.
	Key string
	// Model names the model, as the server calls it.
	Model string
	// Dimensions asks for so many, where a model can be asked. 0: as many as it makes.
	Dimensions int
	// Batch is how many texts are sent at once. 0: DefaultBatch.
	Batch int
	// MaxText is the length in bytes at which texts are cut. 0: DefaultText.
	MaxText int
	// Timeout is how long one request may take. 0: DefaultTimeout.
	Timeout time.Duration
	// Attempts is how often a request is made that fails for a reason that passes:
	// the server is busy, cannot be reached, or breaks off. 0: DefaultAttempts.
	Attempts int
	// Transport makes the requests. Nil: http.DefaultTransport.
	Transport http.RoundTripper
}

// checked are the options with their defaults, or what is wrong with them.
func (o Options) checked() (Options, error) {
	at, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return o, fmt.Errorf("the URL of the embedding server cannot be read") // which the error would repeat
	case at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return o, fmt.Errorf("the URL of the embedding server must begin with http:// or https:// and name a host")
	case at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return o, fmt.Errorf("the URL of the embedding server must have no user, query or fragment; give the key by itself")
	case o.Model == "":
		return o, fmt.Errorf("name the model that makes embeddings")
	case o.Dimensions < 0 || o.Dimensions > MaxDimensions:
		return o, fmt.Errorf("%d dimensions are not from 0 to %d", o.Dimensions, MaxDimensions)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r < ' ' || r > '~' }):
		return o, fmt.Errorf("the key of the embedding server has characters that no key has")
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
