// Package private recognises files that belong to the user of this process, and that no other user can use.
package private
