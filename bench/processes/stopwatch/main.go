// Command stopwatch runs a command and prints its wall time in nanoseconds and its largest resident set in kilobytes.
// What it runs prints nothing, and may exit with 1, which a reject does.
//
// It is a process of its own because Linux counts the memory of the process that starts another one as that one's
// largest: this one is as small as a Go process gets.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	command := exec.Command(os.Args[1], os.Args[2:]...)
	command.Stderr = os.Stderr
	start := time.Now()
	err := command.Run()
	taken := time.Since(start)
	if code := command.ProcessState.ExitCode(); code != 0 && code != 1 {
		fmt.Fprintln(os.Stderr, "stopwatch:", err)
		os.Exit(2)
	}
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		fmt.Fprintln(os.Stderr, "stopwatch: this system does not say what a process used")
		os.Exit(2)
	}
	fmt.Println(taken.Nanoseconds(), usage.Maxrss)
}
