package main

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/bench/catalog"
)

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type callResult struct {
	Content           []content `json:"content"`
	StructuredContent any       `json:"structuredContent"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func call(raw json.RawMessage) (*callResult, error) {
	var params callParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, err
	}
	return callTool(params)
}

func callTool(params callParams) (*callResult, error) {
	switch params.Name {
	case catalog.SmallName:
		return apply(params.Arguments, catalog.Greet)
	case catalog.SearchName:
		return apply(params.Arguments, catalog.Search)
	case catalog.SizeName:
		return apply(params.Arguments, catalog.Size)
	}
	return nil, fmt.Errorf("no such tool: %s", params.Name)
}

func apply[In, Out any](raw json.RawMessage, compute func(In) Out) (*callResult, error) {
	var in In
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	out := compute(in)
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &callResult{
		Content:           []content{{Type: "text", Text: string(text)}},
		StructuredContent: out,
	}, nil
}
