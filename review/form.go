package review

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// form is a sum of products of numbers of a document: what two expressions of tables have to be made into so that the
// same comparison, however it is written, is the same question.
type form struct {
	terms    map[string]int64 // by their variables, sorted: "n3", "n3*n5", "c3/4" is number 3 divided by 4 and rounded up
	constant int64
}

// maxTerm bounds coefficients and constants, so that sums of them do not overflow.
const maxTerm = math.MaxInt64 / 1024

// formOf is an expression in a row of kinds; false where it is none that is understood, or numbers are too large.
func (e *explorer) formOf(c *cell, side int, at uint16) (form, bool) {
	p := e.programs[side]
	x := p.Expressions[at]
	switch x.Term {
	case table.Field:
		return form{terms: map[string]int64{variableName(x.A): 1}}, true
	case table.Number:
		return form{constant: e.constants[side][x.A].Value}, true
	case table.Cell:
		value, ok := e.cellOf(c, side, x.A)
		return form{constant: value}, ok
	case table.CeilingOf, table.FloorOf:
		inner := p.Expressions[x.A]
		if inner.Term != table.Field {
			return form{}, false
		}
		letter := map[table.Term]string{table.CeilingOf: "c", table.FloorOf: "f"}[x.Term]
		return form{terms: map[string]int64{fmt.Sprintf("%s%d/%d", letter, inner.A, e.constants[side][x.B].Value): 1}}, true
	}
	a, ok := e.formOf(c, side, x.A)
	if !ok {
		return form{}, false
	}
	b, ok := e.formOf(c, side, x.B)
	if !ok {
		return form{}, false
	}
	switch x.Term {
	case table.Sum:
		return a.plus(b, 1)
	case table.Minus:
		return a.plus(b, -1)
	}
	return a.times(b)
}

func (f form) plus(other form, factor int64) (form, bool) {
	made := form{terms: map[string]int64{}, constant: f.constant + factor*other.constant}
	for name, value := range f.terms {
		made.terms[name] = value
	}
	for name, value := range other.terms {
		if made.terms[name] += factor * value; made.terms[name] == 0 {
			delete(made.terms, name)
		}
	}
	return made, made.small()
}

func (f form) times(other form) (form, bool) {
	made := form{terms: map[string]int64{}}
	add := func(a, b string, x, y int64) bool {
		product, ok := multiplied(x, y)
		if !ok {
			return false
		}
		names := append(strings.Split(a, "*"), strings.Split(b, "*")...)
		kept := names[:0]
		for _, name := range names {
			if name != "" {
				kept = append(kept, name)
			}
		}
		sort.Strings(kept)
		if key := strings.Join(kept, "*"); key == "" {
			made.constant += product
		} else if made.terms[key] += product; made.terms[key] == 0 {
			delete(made.terms, key)
		}
		return true
	}
	all := func(of form) map[string]int64 {
		terms := map[string]int64{"": of.constant}
		for name, value := range of.terms {
			terms[name] = value
		}
		return terms
	}
	for a, x := range all(f) {
		for b, y := range all(other) {
			if x != 0 && y != 0 && !add(a, b, x, y) {
				return form{}, false
			}
		}
	}
	return made, made.small()
}

func multiplied(x, y int64) (int64, bool) {
	product := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
	return product.Int64(), product.IsInt64() && abs(product.Int64()) < maxTerm
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

func (f form) small() bool {
	for _, value := range f.terms {
		if abs(value) >= maxTerm {
			return false
		}
	}
	return abs(f.constant) < maxTerm
}

// canonical is the form without its constant, divided by what divides it and with its first term positive: terms <= k is
// scale*canonical <= k.
func (f form) canonical() (name string, scale int64) {
	names := sortedKeys(f.terms)
	divisor := int64(0)
	for _, name := range names {
		for a := abs(f.terms[name]); a != 0; {
			divisor, a = a, divisor%a
		}
	}
	scale = divisor
	if f.terms[names[0]] < 0 {
		scale = -divisor
	}
	var w strings.Builder
	for _, name := range names {
		fmt.Fprintf(&w, "%+d%s", f.terms[name]/scale, name)
	}
	return w.String(), scale
}

// ends are those of a range; they are cut off at the ends of int64, beyond which nothing is known.
type ends struct{ low, high int64 }

// rangeOf is between what the terms of a form lie in a cell, by the numbers alone.
func (c *cell) rangeOf(f form) ends {
	low, high := new(big.Int), new(big.Int)
	for name, factor := range f.terms {
		a, b := big.NewInt(1), big.NewInt(1)
		for _, variable := range strings.Split(name, "*") {
			own := c.variable(variable)
			x, y := big.NewInt(own.low), big.NewInt(own.high)
			products := []*big.Int{new(big.Int).Mul(a, x), new(big.Int).Mul(a, y), new(big.Int).Mul(b, x), new(big.Int).Mul(b, y)}
			a, b = products[0], products[0]
			for _, product := range products {
				a, b = smaller(a, product), larger(b, product)
			}
		}
		if factor < 0 {
			a, b = b, a
		}
		low.Add(low, new(big.Int).Mul(a, big.NewInt(factor)))
		high.Add(high, new(big.Int).Mul(b, big.NewInt(factor)))
	}
	return ends{cut(low), cut(high)}
}

func cut(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// variable is between what a number of a form lies.
func (c *cell) variable(name string) ends {
	slot, divisor := variableOf(name)
	low, high := c.low[slot], c.high[slot]
	switch name[0] {
	case 'c':
		return ends{ceiling(low, divisor), ceiling(high, divisor)}
	case 'f':
		return ends{-ceiling(-low, divisor), -ceiling(-high, divisor)}
	}
	return ends{low, high}
}

func variableName(slot uint16) string { return fmt.Sprintf("n%d", slot) }

// variables are the numbers of a form.
func (f form) variables() []string {
	var all []string
	for _, name := range sortedKeys(f.terms) {
		for _, variable := range strings.Split(name, "*") {
			if !slices.Contains(all, variable) {
				all = append(all, variable)
			}
		}
	}
	return all
}

// variableOf is which number a variable is of, and what it is divided by.
func variableOf(name string) (slot int, divisor int64) {
	of, by, _ := strings.Cut(name[1:], "/")
	slot, _ = strconv.Atoi(of)
	if divisor, _ = strconv.ParseInt(by, 10, 64); divisor == 0 {
		divisor = 1
	}
	return slot, divisor
}

// ceiling is a / b, rounded up; b is positive.
func ceiling(a, b int64) int64 {
	quotient := a / b
	if a%b > 0 {
		quotient++
	}
	return quotient
}

// at is the value of a form, without its constant, for a document; it is cut off at the ends of int64.
func (f form) at(flat *inputs.Flat) int64 {
	sum := new(big.Int)
	for name, factor := range f.terms {
		product := big.NewInt(factor)
		for _, variable := range strings.Split(name, "*") {
			slot, divisor := variableOf(variable)
			value := flat.Numbers[slot]
			switch variable[0] {
			case 'c':
				value = ceiling(value, divisor)
			case 'f':
				value = -ceiling(-value, divisor)
			}
			product.Mul(product, big.NewInt(value))
		}
		sum.Add(sum, product)
	}
	return cut(sum)
}

// parsed is the form that a canonical name is of.
func parsed(name string) form {
	f := form{terms: map[string]int64{}}
	for at := 0; at < len(name); {
		end := at + 1
		for end < len(name) && name[end] >= '0' && name[end] <= '9' {
			end++
		}
		factor, _ := strconv.ParseInt(name[at:end], 10, 64)
		term := end
		for end < len(name) && name[end] != '+' && name[end] != '-' {
			end++
		}
		f.terms[name[term:end]] = factor
		at = end
	}
	return f
}
