// Package pgtest runs PostgreSQL inside tests: Debian's, as it is installed.
package pgtest
