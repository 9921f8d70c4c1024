int x { }
