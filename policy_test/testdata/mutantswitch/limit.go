//go:build linux || darwin

package mutantswitch

import (
	"runtime/debug"
	"syscall"
)

const (
	mostMemory = 6 << 30 // bytes of address space: a loop that allocates must not take the machine with it
	mostStack  = 64 << 20
)

// limit sets soft and hard limits alike, since Go ignores the signal of the soft one.
func limit(seconds int) bool {
	if seconds == 0 {
		return false
	}
	debug.SetMaxStack(mostStack)
	for resource, most := range map[int]uint64{syscall.RLIMIT_CPU: uint64(seconds), syscall.RLIMIT_AS: mostMemory} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			panic(err)
		}
	}
	return true
}
