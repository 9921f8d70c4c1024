provider p { probe a(); };
BEGIN { }
