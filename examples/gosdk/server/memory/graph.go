package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// Entity is a node with observations.
type Entity struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

// Relation is an edge between two entities.
type Relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

type graph struct {
	Entities  []Entity   `json:"entities"`
	Relations []Relation `json:"relations"`
}

// store keeps a graph in memory, or in a file.
type store struct {
	file string

	mu   sync.Mutex
	data []byte // if file is empty
}

// item is an entity or a relation in a file.
type item struct {
	Type string `json:"type"`
	*Entity
	*Relation
}

// change runs f with the graph and keeps the changes of f.
func (s *store) change(f func(*graph) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := s.data
	if s.file != "" {
		if data, err = os.ReadFile(s.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var items []item
	if len(data) > 0 {
		if err := json.Unmarshal(data, &items); err != nil {
			return fmt.Errorf("read the graph: %w", err)
		}
	}
	var g graph
	for _, i := range items {
		if i.Entity != nil {
			g.Entities = append(g.Entities, *i.Entity)
		}
		if i.Relation != nil {
			g.Relations = append(g.Relations, *i.Relation)
		}
	}
	if err := f(&g); err != nil {
		return err
	}
	items = nil
	for _, e := range g.Entities {
		items = append(items, item{Type: "entity", Entity: &e})
	}
	for _, r := range g.Relations {
		items = append(items, item{Type: "relation", Relation: &r})
	}
	if s.data, err = json.Marshal(items); err != nil || s.file == "" {
		return err
	}
	return os.WriteFile(s.file, s.data, 0o600)
}

func (g *graph) find(name string) int {
	return slices.IndexFunc(g.Entities, func(e Entity) bool { return e.Name == name })
}

func (g *graph) createEntities(in entities) (created entities, err error) {
	for _, e := range in.Entities {
		if g.find(e.Name) < 0 {
			g.Entities = append(g.Entities, e)
			created.Entities = append(created.Entities, e)
		}
	}
	return created, nil
}

func (g *graph) createRelations(in relations) (created relations, err error) {
	for _, r := range in.Relations {
		if !slices.Contains(g.Relations, r) {
			g.Relations = append(g.Relations, r)
			created.Relations = append(created.Relations, r)
		}
	}
	return created, nil
}

func (g *graph) addObservations(in additions) (added additions, err error) {
	for _, a := range in.Observations {
		i := g.find(a.EntityName)
		if i < 0 {
			return added, fmt.Errorf("entity with name %s not found", a.EntityName)
		}
		e, news := &g.Entities[i], addition{EntityName: a.EntityName}
		for _, content := range a.Contents {
			if !slices.Contains(e.Observations, content) {
				e.Observations = append(e.Observations, content)
				news.Contents = append(news.Contents, content)
			}
		}
		added.Observations = append(added.Observations, news)
	}
	return added, nil
}

func (g *graph) deleteEntities(in entityNames) (mcp.None, error) {
	g.Entities = slices.DeleteFunc(g.Entities, func(e Entity) bool { return slices.Contains(in.EntityNames, e.Name) })
	g.Relations = slices.DeleteFunc(g.Relations, func(r Relation) bool {
		return slices.Contains(in.EntityNames, r.From) || slices.Contains(in.EntityNames, r.To)
	})
	return mcp.None{}, nil
}

func (g *graph) deleteObservations(in deletions) (mcp.None, error) {
	for _, d := range in.Deletions {
		if i := g.find(d.EntityName); i >= 0 {
			observations := &g.Entities[i].Observations
			*observations = slices.DeleteFunc(*observations, func(o string) bool { return slices.Contains(d.Observations, o) })
		}
	}
	return mcp.None{}, nil
}

func (g *graph) deleteRelations(in relations) (mcp.None, error) {
	g.Relations = slices.DeleteFunc(g.Relations, func(r Relation) bool { return slices.Contains(in.Relations, r) })
	return mcp.None{}, nil
}

// part returns the entities that fit, and the relations between them.
func (g *graph) part(fits func(Entity) bool) (found graph, err error) {
	found.Entities = slices.DeleteFunc(slices.Clone(g.Entities), func(e Entity) bool { return !fits(e) })
	found.Relations = slices.DeleteFunc(slices.Clone(g.Relations), func(r Relation) bool {
		return found.find(r.From) < 0 || found.find(r.To) < 0
	})
	return found, nil
}

func (g *graph) search(in query) (graph, error) {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(in.Query)) }
	return g.part(func(e Entity) bool {
		return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
	})
}

func (g *graph) open(in names) (graph, error) {
	return g.part(func(e Entity) bool { return slices.Contains(in.Names, e.Name) })
}
