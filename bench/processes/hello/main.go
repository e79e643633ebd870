// Command hello is the least that a Go process costs.
package main

import "fmt"

func main() { fmt.Println("hello") }
