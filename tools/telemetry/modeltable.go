package telemetry

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// modelTable is data: prefixes of the names of well-known models, the longest of which counts.
//
//go:embed models.json
var modelTable []byte

// knownModel is what is publicly known of the models whose names begin with a prefix.
type knownModel struct {
	Prefix        string `json:"prefix"` // in lower case
	Provider      string `json:"provider"`
	ContextWindow int64  `json:"contextWindow"` // in tokens; 0 when it differs too much
}

// readModelTable reads the embedded table.
func readModelTable() ([]knownModel, error) {
	var table struct {
		Models []knownModel `json:"models"`
	}
	if err := json.Unmarshal(modelTable, &table); err != nil {
		return nil, fmt.Errorf("reading the table of models: %w", err)
	}
	return table.Models, nil
}

// findModel finds a model by its name, or by what follows the last slash, as routers name models after their makers.
func findModel(table []knownModel, name string) (best knownModel) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, known := range table {
		if len(known.Prefix) > len(best.Prefix) && strings.HasPrefix(name, known.Prefix) {
			best = known
		}
	}
	return best
}
