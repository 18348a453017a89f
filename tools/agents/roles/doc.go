// Package roles holds what agents can be asked to be: a Role is a prompt, a model
// and what the agent may do, and a Book is the roles of a settings file in YAML,
// which people edit by hand and a dashboard through the Book.
package roles
