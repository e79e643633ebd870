package journal

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"
)

// newIDs makes identifiers in the form of UUIDs (version 8): random for the writer, and counted for its records.
func newIDs() func(dst []byte) []byte {
	var random [8]byte
	_, _ = rand.Read(random[:]) // ends the program where it fails
	var count atomic.Uint64
	return func(dst []byte) []byte {
		var id [16]byte
		copy(id[:8], random[:])
		binary.BigEndian.PutUint64(id[8:], count.Add(1))
		id[6] = id[6]&0x0f | 0x80
		id[8] = id[8]&0x3f | 0x80
		for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
			if i > 0 {
				dst = append(dst, '-')
			}
			dst = hex.AppendEncode(dst, part)
		}
		return dst
	}
}
