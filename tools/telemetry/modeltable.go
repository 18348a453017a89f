package telemetry

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// modelTable lists name prefixes of well-known models, as JSON. The longest matching prefix applies.
//
//go:embed models.json
var modelTable []byte

// knownModel is the public data of the models whose names have a prefix.
type knownModel struct {
	Prefix        string `json:"prefix"` // in lower case
	Provider      string `json:"provider"`
	ContextWindow int64  `json:"contextWindow"` // in tokens; 0 if the models differ too much
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

// findModel returns the entry with the longest prefix of the name, ignoring case. Text up to the
// last slash is ignored, because routers write "provider/model".
func findModel(table []knownModel, name string) (best knownModel) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, known := range table {
		if len(known.Prefix) > len(best.Prefix) && strings.HasPrefix(name, known.Prefix) {
			best = known
		}
	}
	return best
}
