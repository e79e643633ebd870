package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABarIsDrawnNowAndThenAndTakenAway(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	b := &bar{to: &out, now: func() time.Time { return at }, total: 1000}
	b.clear()
	require.Empty(t, out.String(), "nothing was drawn")
	b.show(0, 0)
	b.show(10, 1) // too soon
	at = at.Add(2 * time.Second)
	b.show(500, 3000)
	at = at.Add(2 * time.Second)
	b.show(2000, 8000) // the log grew
	b.clear()
	require.Equal(t, "\r\x1b[K[..............................]   0%  0 records"+
		"\r\x1b[K[###############...............]  50%  3000 records, 1500 a second"+
		"\r\x1b[K[##############################] 100%  8000 records, 2000 a second"+
		"\r\x1b[K", out.String())
}

func TestABarWithoutATotalCounts(t *testing.T) {
	var out bytes.Buffer
	b := &bar{to: &out, now: func() time.Time { return time.Unix(0, 0) }}
	b.show(5<<20, 7)
	require.Equal(t, "\r\x1b[K7 records, 5 MiB", out.String())
}
