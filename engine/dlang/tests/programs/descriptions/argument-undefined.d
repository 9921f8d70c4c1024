tick-$1 { }
