package yamlfile

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/tools/config"
)

// scalar returns the kind and the text of a scalar. Times are strings, and so are numbers without a
// JSON form, such as .inf.
func scalar(n *yaml.Node) (config.Kind, string) {
	switch n.ShortTag() {
	case "!!null":
		return config.Null, ""
	case "!!bool":
		return config.Bool, strings.ToLower(n.Value)
	case "!!int", "!!float":
		if digits, ok := number(n); ok {
			return config.Number, digits
		}
	}
	return config.String, n.Value
}

// number is a number as JSON writes it.
func number(n *yaml.Node) (string, bool) {
	if end, _, err := jsonx.Number([]byte(n.Value), 0); err == nil && end == len(n.Value) {
		return n.Value, true
	}
	var v any
	if n.Decode(&v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64), true
		}
	}
	return "", false
}
