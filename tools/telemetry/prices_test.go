package telemetry_test

import (
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/telemetry"
)

// cost returns the estimated cost of a million input and a million output tokens of a model.
func cost(t testing.TB, p *telemetry.Prices, model string) (float64, []string) {
	t.Helper()
	set := newSet(t, telemetry.Options{Prices: p})
	use(t, set, t.Context(), model, 1_000_000, 1_000, 1)
	got := statistics(t, set)
	return got.EstimatedCost, got.Unpriced
}

func TestPrices_Match(t *testing.T) {
	p, err := telemetry.ParsePrices([]byte("\ufeff" + ` {"currency":"EUR","models":{
		"gpt-5": {"inputPer1k":1,"outputPer1k":0},
		"GPT-*": {"inputPer1k":2,"outputPer1k":0},
		"gpt-5*": {"inputPer1k":3,"outputPer1k":0},
		"free": {"inputPer1k":0,"outputPer1k":0.0},
		"Claude-*": {"inputPer1k":4E0,"outputPer1k":25e-2}
	}} `))
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]float64{"gpt-5": 1_000, "Gpt-5": 1_000, "gpt-5-mini": 3_000, "gpt-4": 2_000, "gpt-": 2_000, "claude-x": 4_000.25, "free": 0} {
		if got, unpriced := cost(t, p, model); got != want || unpriced != nil {
			t.Errorf("%s costs %v, want %v; unpriced %v", model, got, want, unpriced)
		}
	}
	for _, model := range []string{"gpt", "llama", "freely"} {
		if got, unpriced := cost(t, p, model); got != 0 || len(unpriced) != 1 || unpriced[0] != model {
			t.Errorf("%s costs %v, unpriced %v", model, got, unpriced)
		}
	}
	all, err := telemetry.ParsePrices([]byte(`{"models":{"*":{"inputPer1k":7,"outputPer1k":0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := cost(t, all, "whatever"); got != 7_000 || all.Currency() != "USD" || p.Currency() != "EUR" || (*telemetry.Prices)(nil).Currency() != "USD" {
		t.Errorf("a price for all gives %v %s", got, all.Currency())
	}
}

// The error lists all problems of a price file.
func TestParsePrices_Invalid(t *testing.T) {
	_, err := telemetry.ParsePrices([]byte(`{"currency":"usd","model":{},"models":{
		"a": {"inputPer1k":-1,"outputPer1k":"0.1"}, "b": 7, "c": {"inputPer1K":1,"outputPer1k":1}, "x*y": {"inputPer1k":1,"outputPer1k":1},
		"A": {"inputPer1k":1000000.1,"outputPer1k":0.1234567890123}, "": {"inputPer1k":1e65,"outputPer1k":null}, "d": {"inputPer1k":1,"inputPer1k":2,"outputPer1k":0}
	}}`))
	wantParts(t, err, "currency must be three", `"model", which is unknown`, `"a": inputPer1k must not be negative`, `"a": outputPer1k must be a number`, `"b" must be an object`,
		`"c" has the member "inputPer1K"`, `"c" lacks inputPer1k`, `"x*y" has * in its middle`, `"A" is there twice`, "must not be more than 1000000", "more than 12 decimal places",
		"exponent that is out of bounds", `the model ""`, `"inputPer1k" twice`)
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %v", err)
	}
	for name, text := range map[string]string{
		"nothing": ``, "not JSON": `{"models":`, "NaN": `{"models":{"a":{"inputPer1k":NaN,"outputPer1k":1}}}`, "a list": `[]`, "no models": `{"currency":"USD"}`, "models as a list": `{"models":[]}`,
		"two values": `{"models":{}} {}`, "a bomb": `{"models":{"a":{"inputPer1k":1e999999999999,"outputPer1k":1}}}`, "a long number": `{"models":{"a":{"inputPer1k":0.` + strings.Repeat("0", 70) + `,"outputPer1k":1}}}`,
		"too much": strings.Repeat(" ", 1<<20) + `{"models":{}}`, "a name that cannot be shown": `{"models":{"a\u0007":{"inputPer1k":1,"outputPer1k":1}}}`,
	} {
		if p, err := telemetry.ParsePrices([]byte(text)); err == nil || p != nil {
			t.Errorf("%s was taken", name)
		}
	}
	many := `{"models":{`
	for i := range 1_000 {
		many += fmt.Sprintf(`"%d":1,`, i)
	}
	_, err = telemetry.ParsePrices([]byte(many + `"x":1}}`))
	if err == nil || len(err.Error()) > 5_000 {
		t.Errorf("a thousand problems have %d bytes", len(fmt.Sprint(err)))
	}
}

func TestReadPrices_Files(t *testing.T) {
	dir := t.TempDir()
	good, bad, large := filepath.Join(dir, "good"), filepath.Join(dir, "bad"), filepath.Join(dir, "large")
	write(t, good, `{"models":{}}`)
	write(t, bad, `{"models":7}`)
	write(t, large, strings.Repeat(" ", 1<<20+1))
	if _, err := telemetry.ReadPrices(good); err != nil {
		t.Error(err)
	}
	for path, says := range map[string]string{bad: "models must be an object", filepath.Join(dir, "none"): "none", dir: "not a regular file", large: "more than 1048576 bytes"} {
		_, err := telemetry.ReadPrices(path)
		wantParts(t, err, "reading prices", says)
	}
}

// New prices also apply to earlier usage.
func TestSetPrices_EarlierUsage(t *testing.T) {
	p, err := telemetry.ParsePrices([]byte(`{"models":{"m":{"inputPer1k":0.000001,"outputPer1k":0.000003}}}`))
	if err != nil {
		t.Fatal(err)
	}
	set := newSet(t, telemetry.Options{})
	use(t, set, t.Context(), "m", 3_000, 1, 1)
	for _, step := range []struct {
		prices *telemetry.Prices
		cost   float64
	}{{nil, 0}, {p, 0.000003003}, {nil, 0}} {
		set.SetPrices(step.prices)
		got, err := set.CurrentModel(client{meta: `"dougu/model":"m"`}.context(t), telemetry.CurrentModelArgs{})
		if err != nil || (got.Cost != nil) != (step.prices != nil) || got.Cost != nil && *got.Cost != (telemetry.Cost{Input: 0.000001, Output: 0.000003}) {
			t.Errorf("the current model costs %+v (%v)", got.Cost, err)
		}
		if s := statistics(t, set); s.EstimatedCost != step.cost || (len(s.Unpriced) > 0) != (step.prices == nil) {
			t.Errorf("the uses cost %v, unpriced %v; want %v", s.EstimatedCost, s.Unpriced, step.cost)
		}
	}
}

// The cost equals exact arithmetic, rounded once.
func TestModelStatistics_ExactCost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		set := newSet(t, telemetry.Options{})
		want := new(big.Rat)
		var entries []string
		for i := range rapid.IntRange(1, 5).Draw(rt, "models") {
			model := numbered("m", i)
			price := map[string]string{}
			for _, kind := range []string{"input", "output"} {
				price[kind] = rapid.SampledFrom([]string{"0", "0.1", "0.00000125", "3", "1e-12", "123456.789012345678", "1000000", "0.000000000001", "2.50e-3"}).Draw(rt, kind)
			}
			entries = append(entries, fmt.Sprintf(`%q:{"inputPer1k":%s,"outputPer1k":%s}`, model, price["input"], price["output"]))
			for range rapid.IntRange(0, 4).Draw(rt, "uses") {
				for _, kind := range []string{"input", "output"} {
					tokens := rapid.Int64Range(0, 1_000_000_000_000).Draw(rt, "tokens")
					input, output := tokens, int64(0)
					if kind == "output" {
						input, output = 0, tokens
					}
					use(t, set, t.Context(), model, input, output, 0)
					p, _ := new(big.Rat).SetString(price[kind])
					want.Add(want, p.Mul(p, big.NewRat(tokens, 1_000)))
				}
			}
		}
		p, err := telemetry.ParsePrices([]byte(`{"models":{` + strings.Join(entries, ",") + `}}`))
		if err != nil {
			rt.Fatal(err)
		}
		set.SetPrices(p)
		got := statistics(t, set).EstimatedCost
		exact, _ := want.Float64()
		if math.Abs(got-exact) > 0.5e-9+math.Abs(exact)*1e-15 {
			rt.Fatalf("cost %v, want %v", got, exact)
		}
	})
}

func FuzzParsePrices(f *testing.F) {
	for _, seed := range []string{
		`{"currency":"USD","models":{"gpt-5":{"inputPer1k":0.00125,"outputPer1k":0.01},"claude-*":{"inputPer1k":3e-3,"outputPer1k":15}}}`,
		`{"models":{"*":{"inputPer1k":1E+6,"outputPer1k":0.000000000001}}}`, `{"models":{"a":{"inputPer1k":-0,"outputPer1k":00}}}`, `[]`, `{"models":{"\u0061":{}}}`, `{"models":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := telemetry.ParsePrices([]byte(text))
		if (p == nil) != (err != nil) {
			t.Fatalf("prices %v with error %v", p, err)
		}
		if err != nil {
			if len(err.Error()) > 60_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			return
		}
		if len(p.Currency()) != 3 {
			t.Errorf("the currency is %q", p.Currency())
		}
		set := newSet(t, telemetry.Options{Prices: p, Model: telemetry.ModelInfo{Name: "gpt-5"}})
		got, err := set.CurrentModel(t.Context(), telemetry.CurrentModelArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if c := got.Cost; c != nil && !(c.Input >= 0 && c.Input <= 1_000_000 && c.Output >= 0 && c.Output <= 1_000_000) {
			t.Errorf("%s costs %+v", text, *c)
		}
	})
}

func TestListPrices(t *testing.T) {
	p, err := telemetry.ListPrices()
	if err != nil {
		t.Fatal(err)
	}
	if p.Currency() != "USD" {
		t.Errorf("the currency is %s", p.Currency())
	}
}
