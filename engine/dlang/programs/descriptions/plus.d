/* Objects are called so. */
pid1:libstdc++.so.6::entry:0 { }
