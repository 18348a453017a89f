package telemetry

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// maxPriceFile is the largest price file, in bytes.
const maxPriceFile = 1 << 20

const defaultCurrency = "USD"

// Prices maps models to their prices. It is immutable and safe for concurrent use; nil contains no
// price.
type Prices struct {
	currency string
	exact    map[string]price // by name, in lower case
	prefix   map[string]price // by prefix, in lower case
}

// price is the price of 1,000 tokens.
type price struct{ input, output amount }

// listPrices has public list prices, without discounts, as of the end of 2025.
//
//go:embed listprices.json
var listPrices []byte

// ListPrices returns public list prices of well-known models in USD, as of the end of 2025 and without discounts. They are
// estimates: providers change prices, and later models are missing.
func ListPrices() (*Prices, error) { return ParsePrices(listPrices) }

// ReadPrices reads a price file in the format of ParsePrices. The file must be a regular file of at
// most 1 MiB.
func ReadPrices(path string) (*Prices, error) {
	data, err := readRegular(path, maxPriceFile)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	p, err := ParsePrices(data)
	if err != nil {
		return nil, fmt.Errorf("reading prices from %s: %w", path, err)
	}
	return p, nil
}

// ParsePrices reads prices:
//
//	{"currency": "USD", "models": {"gpt-5": {"inputPer1k": 0.00125, "outputPer1k": 0.01}, "claude-*": {"inputPer1k": 0.003, "outputPer1k": 0.015}}}
//
// A key of models is the name of a model or, with * at its end, a prefix of names. An exact name
// wins over prefixes, and a longer prefix over a shorter one; case is ignored. A price is for 1,000
// tokens, from 0 to 1,000,000 with at most 12 decimal places, and is kept exactly. The currency is
// three capital letters; the default is USD. The error lists up to 50 problems.
func ParsePrices(data []byte) (*Prices, error) {
	if len(data) > maxPriceFile {
		return nil, fmt.Errorf("the prices have %d bytes; at most %d are read", len(data), maxPriceFile)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // byte order mark of some editors
	if err := jsonx.Valid(data); err != nil {
		return nil, fmt.Errorf("the prices are not JSON: %w", err)
	}
	r := priceReader{prices: &Prices{currency: defaultCurrency, exact: make(map[string]price), prefix: make(map[string]price)}}
	r.object(data, "the file", []string{"models"}, map[string]func(value []byte){"currency": r.currency, "models": r.models})
	if err := r.problems.ErrorOrNil(); err != nil {
		return nil, err
	}
	return r.prices, nil
}

// Currency returns the currency of the prices, for example USD.
func (p *Prices) Currency() string {
	if p == nil {
		return defaultCurrency
	}
	return p.currency
}

// find returns the price of a model: the exact name first, then the longest prefix. Case is
// ignored.
func (p *Prices) find(model string) (price, bool) {
	if p == nil {
		return price{}, false
	}
	model = strings.ToLower(model)
	if found, ok := p.exact[model]; ok {
		return found, true
	}
	for n := len(model); n >= 0; n-- {
		if found, ok := p.prefix[model[:n]]; ok {
			return found, true
		}
	}
	return price{}, false
}

// cost returns the price of a model as floating-point numbers, or nil if there is none.
func (p *Prices) cost(model string) *Cost {
	found, ok := p.find(model)
	if !ok {
		return nil
	}
	return &Cost{Input: found.input.float(), Output: found.output.float()}
}

// priceReader collects prices and the problems of a price file.
type priceReader struct {
	prices   *Prices
	problems *multierror.Error
}

func (r *priceReader) problem(format string, args ...any) {
	const most = 50
	if r.problems != nil && len(r.problems.Errors) >= most {
		return
	}
	r.problems = multierror.Append(r.problems, fmt.Errorf(format, args...))
	r.problems.ErrorFormat = joinErrors
}

// object reads an object with the known members and reports unknown and missing ones.
func (r *priceReader) object(data []byte, what string, required []string, known map[string]func(value []byte)) {
	seen := r.members(data, what, func(name string, value []byte) {
		if read, ok := known[name]; ok {
			read(value)
		} else {
			r.problem("%s has the member %q, which is unknown", what, name)
		}
	})
	for _, name := range required {
		if seen != nil && !seen[name] {
			r.problem("%s lacks %s", what, name)
		}
	}
}

// members calls visit for each member of an object and returns the names. Duplicate names are
// reported and skipped. The result is nil if data is not an object.
func (r *priceReader) members(data []byte, what string, visit func(name string, value []byte)) map[string]bool {
	data = data[jsonx.Space(data, 0):]
	if data[0] != '{' {
		r.problem("%s must be an object", what)
		return nil
	}
	seen := make(map[string]bool)
	for m := jsonx.Object(data); m.Next(); {
		name := m.Name()
		if seen[name] {
			r.problem("%s has the member %q twice", what, name)
			continue
		}
		seen[name] = true
		visit(name, m.Value())
	}
	return seen
}

func (r *priceReader) currency(value []byte) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || len(text) != 3 || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		r.problem("currency must be three capital letters, such as %q", defaultCurrency)
		return
	}
	r.prices.currency = text
}

func (r *priceReader) models(value []byte) {
	r.members(value, "models", func(name string, value []byte) {
		key, isPrefix := strings.CutSuffix(strings.ToLower(name), "*")
		into := r.prices.exact
		if isPrefix {
			into = r.prices.prefix
		}
		if strings.Contains(key, "*") {
			r.problem("the model %q has * in its middle; it may only be the last character", name)
		} else if err := checkName(key, maxName); err != nil && (key != "" || !isPrefix) {
			r.problem("the model %q: the name %w", name, err)
		} else if _, twice := into[key]; twice {
			r.problem("the model %q is there twice, in different cases", name)
		}
		into[key] = r.price(value, fmt.Sprintf("the model %q", name))
	})
}

func (r *priceReader) price(value []byte, what string) (p price) {
	const input, output = "inputPer1k", "outputPer1k"
	into := func(member string, to *amount) func([]byte) {
		return func(value []byte) {
			if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
				r.problem("%s: %s must be a number", what, member)
				return
			}
			var err error
			if *to, err = parseAmount(string(value)); err != nil {
				r.problem("%s: %s %w", what, member, err)
			}
		}
	}
	r.object(value, what, []string{input, output}, map[string]func([]byte){input: into(input, &p.input), output: into(output, &p.output)})
	return p
}
