struct genunix`s { int a; };
BEGIN { }
