enum e { A };
enum e v;
BEGIN { trace(v.x); }
