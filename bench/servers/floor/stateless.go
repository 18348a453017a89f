package main

import "encoding/json"

type statelessParams struct {
	callParams
	Meta requestMeta `json:"_meta"`
}

type requestMeta struct {
	Revision     string          `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	Client       json.RawMessage `json:"io.modelcontextprotocol/clientInfo"`
}

type statelessResult struct {
	ResultType string `json:"resultType"`
	*callResult
	Meta resultMeta `json:"_meta"`
}

type resultMeta struct {
	Server implementation `json:"io.modelcontextprotocol/serverInfo"`
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func callStateless(req *request) *response {
	reply := &response{JSONRPC: "2.0", ID: req.ID}
	var params statelessParams
	err := json.Unmarshal(req.Params, &params)
	var result *callResult
	switch {
	case err != nil:
	case params.Meta.Revision != "2026-07-28" || params.Meta.Capabilities == nil:
		reply.Error = &failure{-32602, "the request does not say what it speaks"}
		return reply
	default:
		result, err = callTool(params.callParams)
	}
	if err != nil {
		reply.Error = &failure{-32602, err.Error()}
		return reply
	}
	reply.Result = statelessResult{"complete", result, resultMeta{implementation{"floor", "1.0.0"}}}
	return reply
}
