package gateway

// changes are the kinds of lists that differ between two tables.
type changes struct{ tools, prompts, resources bool }

func (c *changes) add(more changes) {
	c.tools = c.tools || more.tools
	c.prompts = c.prompts || more.prompts
	c.resources = c.resources || more.resources
}

func (c *changes) lists() []string {
	var all []string
	for list, changed := range map[string]bool{"tools": c.tools, "prompts": c.prompts, "resources": c.resources} {
		if changed {
			all = append(all, list)
		}
	}
	return all
}

// changesSince returns the kinds of lists that differ from an older table.
func (t *table) changesSince(old *table) changes {
	if old == nil {
		return changes{}
	}
	return changes{
		tools:     t.tools.digest != old.tools.digest,
		prompts:   t.prompts.digest != old.prompts.digest,
		resources: t.resources.digest != old.resources.digest || t.templates.digest != old.templates.digest,
	}
}
