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
	// auto is the model identifier with which an executor selects a model itself.
	auto = "auto"
	// maxSuggestions is the number of models that replace an unavailable one.
	maxSuggestions = 20
)

// texts are the messages of a Checker in one language.
type texts struct {
	skipped     string // the reason of a check without a valid model
	unavailable string // format of the message about a model
	fallback    string // format of the addition to it about the model that replaces it
}

// texts returns the messages in Options.Language.
func (o *Options) texts() texts {
	if o.Language == "ja" {
		return texts{"モデル検証に失敗したためスキップ", "モデル '%s' は利用できません", "。代わりに '%s' を使用します"}
	}
	return texts{"skipped, because the model is not valid", "model '%s' is not available", "; '%s' is used instead"}
}

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

// validate compares a role with the models of its executor. It also returns the model to ask; empty
// if the role is invalid.
func (c *Checker) validate(r roles.Role, m models) (State, string) {
	s := State{ID: r.ID, Name: r.Name, Model: r.Model}
	v, say := &s.ModelValidation, c.o.texts()
	v.CheckedAt, v.Status = c.now(), Invalid
	s.HealthCheck = HealthCheck{Status: Skipped, Reason: say.skipped}
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
	case m.contains(r.Model):
		v.Status = Valid
		s.HealthCheck = HealthCheck{Status: Pending}
		return s, r.Model
	}
	v.Message = fmt.Sprintf(say.unavailable, r.Model)
	v.AvailableModels, v.Suggestion = m.similar(r.Model)
	if c.o.Fallback && m.contains(auto) {
		s.Fallback = auto
		v.Message += fmt.Sprintf(say.fallback, auto)
		s.HealthCheck = HealthCheck{Status: Pending}
		return s, auto
	}
	return s, ""
}

func (m models) contains(id string) bool {
	return slices.ContainsFunc(m.list, func(e executor.Model) bool { return e.ID == id })
}

// similar returns the models ordered by similarity to an unavailable one, and the most probable
// model.
func (m models) similar(id string) (ids []string, suggestion string) {
	want := words(id)
	type candidate struct {
		id            string
		shared, edits int
	}
	all := make([]candidate, len(m.list))
	for i, e := range m.list {
		all[i] = candidate{e.ID, countShared(want, words(e.ID)), nearest.Distance(truncateID(id), truncateID(e.ID))}
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
		suggestion = m.defaultModel()
	}
	if i := slices.Index(ids, suggestion); i > 0 {
		ids = slices.Insert(slices.Delete(ids, i, i+1), 0, suggestion)
	}
	return ids[:min(len(ids), maxSuggestions)], suggestion
}

// defaultModel returns the default model of the executor, or auto.
func (m models) defaultModel() string {
	for _, e := range m.list {
		if e.Default {
			return e.ID
		}
	}
	if m.contains(auto) {
		return auto
	}
	return ""
}

// truncateID limits the length of a comparison.
func truncateID(s string) string { return s[:min(len(s), 64)] }

// words returns the parts of an identifier: claude, 4, 6 and sonnet of claude-4.6-sonnet.
func words(id string) []string {
	return strings.FieldsFunc(strings.ToLower(truncateID(id)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func countShared(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
