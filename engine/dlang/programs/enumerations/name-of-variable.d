int A;
enum e { A };
BEGIN { }
