// Package searchservice makes what serves search from its settings: the index of
// the files, the plugins, who may use it and how much, its metrics, alerts and
// health. It is what cqm is made of, and every other program that offers search
// beside other tools.
package searchservice
