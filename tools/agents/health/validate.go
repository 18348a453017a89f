package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

const (
	// auto is the model with which an executor chooses itself.
	auto = "auto"
	// mostNamed is how many models are named in the place of one that is not there.
	mostNamed = 20
	// skipped is why nobody asked a model.
	skipped = "モデル検証に失敗したためスキップ"
)

// list asks an executor for its models.
func (c *Checker) list(e executor.Executor) models {
	ctx, cancel := context.WithTimeoutCause(c.ctx, c.o.Timeout, fmt.Errorf("there was no list of models within %v", c.o.Timeout))
	defer cancel()
	list, err := e.Models(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return models{list, err, c.o.Now()}
}

// validate holds a role against the models of its executor. The second result says with which model it is to be asked;
// empty for none.
func (c *Checker) validate(r roles.Role, m models) (State, string) {
	s := State{ID: r.ID, Name: r.Name, Model: r.Model}
	v := &s.ModelValidation
	v.CheckedAt, v.Status = c.now(), Invalid
	s.HealthCheck = HealthCheck{Status: Skipped, Reason: skipped}
	switch {
	case c.executor(r.Executor) == nil:
		names := make([]string, len(c.o.Executors))
		for i, e := range c.o.Executors {
			names[i] = e.Name()
		}
		v.Message = fmt.Sprintf("there is no executor %q; there is %s", r.Executor, strings.Join(names, ", "))
		if near := nearest.Name(r.Executor, names); near != "" {
			v.Message += fmt.Sprintf("; did you mean %q?", near)
		}
		return s, ""
	case m.err != nil:
		v.Message = reason(m.err)
		return s, ""
	case m.has(r.Model):
		v.Status = Valid
		s.HealthCheck = HealthCheck{Status: Pending}
		return s, r.Model
	}
	v.Message = fmt.Sprintf("モデル '%s' は利用できません", r.Model)
	v.AvailableModels, v.Suggestion = m.similar(r.Model)
	if c.o.Fallback && m.has(auto) {
		s.Fallback = auto
		v.Message += fmt.Sprintf("。代わりに '%s' を使用します", auto)
		s.HealthCheck = HealthCheck{Status: Pending}
		return s, auto
	}
	return s, ""
}

func (m models) has(id string) bool {
	return slices.ContainsFunc(m.list, func(e executor.Model) bool { return e.ID == id })
}

// similar are models in the place of one that is not there, those that were probably meant first, and the one that
// was.
func (m models) similar(id string) (ids []string, suggestion string) {
	want := words(id)
	type candidate struct {
		id            string
		shared, edits int
	}
	all := make([]candidate, len(m.list))
	for i, e := range m.list {
		all[i] = candidate{e.ID, shared(want, words(e.ID)), nearest.Distance(cut(id), cut(e.ID))}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.edits, b.edits))
	})
	for _, a := range all {
		ids = append(ids, a.id)
	}
	suggestion = nearest.Name(id, ids)
	if suggestion == "" && len(all) > 0 && 2*all[0].shared >= len(want) {
		suggestion = all[0].id
	}
	if suggestion == "" {
		suggestion = m.usual()
	}
	if i := slices.Index(ids, suggestion); i > 0 {
		ids = slices.Insert(slices.Delete(ids, i, i+1), 0, suggestion)
	}
	return ids[:min(len(ids), mostNamed)], suggestion
}

// usual is the model that the executor uses where nobody says which, or the one with which it chooses.
func (m models) usual() string {
	for _, e := range m.list {
		if e.Default {
			return e.ID
		}
	}
	if m.has(auto) {
		return auto
	}
	return ""
}

// cut bounds what is compared.
func cut(s string) string { return s[:min(len(s), 64)] }

// words are the parts of an identifier such as claude-4.6-sonnet: claude, 4, 6, sonnet.
func words(id string) []string {
	return strings.FieldsFunc(strings.ToLower(cut(id)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func shared(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
