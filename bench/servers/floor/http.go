package main

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/bench/servers/internal/front"
)

// maxBody is the size limit of a request.
const maxBody = 4 << 20

func serveHTTP(settings front.Settings, listed []tool) error {
	mux := http.NewServeMux()
	mux.HandleFunc(front.SocketPath, echo)
	if settings.Sessions {
		mux.Handle(front.Path, &sessions{listed: listed, known: make(map[string]struct{})})
	} else {
		mux.Handle(front.Path, stateless{listed})
	}
	return settings.ServeMux(mux)
}

// stateless responds to requests of revision 2026-07-28, each of which states its revision.
type stateless struct{ listed []tool }

func (s stateless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := read(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch req.Method {
	case "tools/call":
		write(w, callStateless(req))
	case "subscriptions/listen":
		listen(w, r, req)
	default:
		reply := answer(req, s.listed)
		if reply == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		write(w, reply)
	}
}

func read(w http.ResponseWriter, r *http.Request) (*request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	var req request
	return &req, json.Unmarshal(body, &req)
}

func write(w http.ResponseWriter, reply *response) {
	body, err := json.Marshal(reply)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body) // an error means that the client has disconnected
}

// listen opens a stream without events.
func listen(w http.ResponseWriter, r *http.Request, req *request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+
		string(req.ID)+`},"notifications":{"toolsListChanged":true}}}`+"\n\n")
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	<-r.Context().Done()
}

func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	for {
		kind, message, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		if err := conn.Write(r.Context(), kind, message); err != nil {
			return
		}
	}
}
