// Package ratelimit counts requests in exact sliding windows of a minute and of
// an hour: at any moment, no more than a limit were allowed within the minute, or
// the hour, that ends then. Who is refused is told when to come back.
package ratelimit
