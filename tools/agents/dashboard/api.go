package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// Sizes of pages in answers: history in agents, output in bytes.
const (
	historyPage    = 50 // default
	maxHistoryPage = 500
	outputPage     = 64 << 10 // default
	maxOutputPage  = 1 << 20
)

// history serves past agents, newest first, with their groups.
func (d *Dashboard) history(w http.ResponseWriter, r *http.Request) {
	q, err := historyQuery(r.URL.Query())
	if err != nil {
		answerError(w, http.StatusBadRequest, &problem{"INVALID_PARAMS", err.Error(), ""})
		return
	}
	page, err := d.o.Store.Agents(r.Context(), q)
	if err != nil {
		d.failed(w, err)
		return
	}
	groups, err := d.o.Store.Groups(r.Context(), true)
	if err != nil {
		d.failed(w, err)
		return
	}
	mentioned := make(map[string]bool)
	for i, a := range page.Agents {
		mentioned[a.GroupID] = true
		page.Agents[i] = a.Compact()
	}
	shown := make([]record.Group, 0, len(mentioned))
	for _, g := range groups {
		if mentioned[g.ID] {
			g.AgentIDs = nil
			shown = append(shown, g)
		}
	}
	answer(w, http.StatusOK, map[string]any{"agents": list(page.Agents), "groups": shown, "total": page.Total})
}

func historyQuery(v url.Values) (record.Query, error) {
	q := record.Query{GroupID: v.Get("group"), Role: v.Get("role"), Text: v.Get("text"), Newest: true}
	for _, s := range v["status"] {
		if s != "" && s != "all" {
			q.Statuses = append(q.Statuses, record.Status(s))
		}
	}
	var err error
	if q.Offset, err = numberParam(v, "offset", 0, 1<<30); err != nil {
		return q, err
	}
	if q.Limit, err = numberParam(v, "limit", historyPage, maxHistoryPage); err != nil {
		return q, err
	}
	q.Limit = max(q.Limit, 1)
	if q.Since, err = timeParam(v, "since"); err != nil {
		return q, err
	}
	q.Until, err = timeParam(v, "until")
	return q, err
}

// numberParam returns a query parameter as a number. otherwise is its default, and a number above most becomes most.
func numberParam(v url.Values, name string, otherwise, most int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q; it is a number from 0 to %d", name, text, most)
	}
	return min(n, most), nil
}

// timeParam returns a query parameter as a time in RFC 3339; the zero time if it is missing.
func timeParam(v url.Values, name string) (time.Time, error) {
	text := v.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%s is %q; it is a time such as 2026-02-13T12:00:00Z", name, text)
	}
	return t, nil
}

// agent serves the record of an agent.
func (d *Dashboard) agent(w http.ResponseWriter, r *http.Request) {
	a, err := d.o.Store.Agent(r.Context(), r.PathValue("id"))
	if err != nil {
		d.failed(w, err)
		return
	}
	answer(w, http.StatusOK, a)
}

// output serves a range of the output of an agent.
func (d *Dashboard) output(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	kind := record.Stream(v.Get("kind"))
	switch kind {
	case "":
		kind = record.Text
	case record.Raw, record.Text, record.Diff, record.Stderr:
	default:
		answerError(w, http.StatusBadRequest, &problem{"INVALID_PARAMS", fmt.Sprintf("kind is %q; it is log, text, diff or stderr", kind), ""})
		return
	}
	var offset int64
	if text := v.Get("offset"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			answerError(w, http.StatusBadRequest, &problem{"INVALID_PARAMS", fmt.Sprintf("offset is %q; it is a number of bytes, negative from the end", text), ""})
			return
		}
		offset = n
	}
	length, err := numberParam(v, "length", outputPage, maxOutputPage)
	if err != nil {
		answerError(w, http.StatusBadRequest, &problem{"INVALID_PARAMS", err.Error(), ""})
		return
	}
	a, err := d.o.Store.Agent(r.Context(), r.PathValue("id"))
	if err != nil {
		d.failed(w, err)
		return
	}
	o, err := d.read(r.Context(), &a, kind, offset, length)
	if err != nil {
		d.failed(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"text": o.Text, "offset": o.Offset, "next": o.Next, "size": o.Size, "dropped": o.Dropped})
}

// read reads a range of the output or of the diff of an agent. If no comparison was made and the
// diff is empty, a request for its end receives the reason, because an empty diff would mean no
// change.
func (d *Dashboard) read(ctx context.Context, a *record.Agent, kind record.Stream, offset int64, length int) (record.Output, error) {
	switch {
	case d.o.Outputs == nil:
		return record.Output{}, nil
	case kind != record.Diff:
		return d.o.Outputs.Output(ctx, a.ID, kind, offset, length)
	}
	o, compared, err := record.ReadDifference(ctx, d.o.Outputs, a.ID, offset, length)
	if err == nil && !compared && o.Size == 0 && offset < 0 && !a.StartedAt.IsZero() {
		if o.Text = "[the files were not compared; the agent reported no change]\n"; !a.Status.Ended() {
			o.Text = "[the agent has reported no change yet; the files are compared when it ends]\n"
		}
	}
	return o, err
}

// failed responds with an error of the store.
func (d *Dashboard) failed(w http.ResponseWriter, err error) {
	p := d.problemOf(err)
	status := http.StatusInternalServerError
	if errors.Is(err, record.ErrNotFound) {
		status = http.StatusNotFound
	}
	answerError(w, status, p)
}

// problemOf converts an error for pages. Internal errors are only logged.
func (d *Dashboard) problemOf(err error) *problem {
	var coded interface {
		error
		ErrorCode() string
	}
	switch {
	case errors.As(err, &coded):
		p := &problem{Code: coded.ErrorCode(), Message: coded.Error()}
		var next interface{ NextStep() string }
		if errors.As(err, &next) {
			p.Next = next.NextStep()
		}
		return p
	case errors.Is(err, record.ErrNotFound):
		return &problem{"NOT_FOUND", "it does not exist", ""}
	}
	d.o.Log.Error("a request of the dashboard failed", "error", err)
	return &problem{"INTERNAL_ERROR", "the request failed; see the log of the server", ""}
}

// list returns an empty slice for nil, whose JSON is not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
