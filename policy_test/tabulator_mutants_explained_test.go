package policy_test

// tabulatorExplanations name each mutant of the tabulator that nothing can tell, and say why.
var tabulatorExplanations = []explanation{}
