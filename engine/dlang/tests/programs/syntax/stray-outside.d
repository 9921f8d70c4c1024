BEGIN { }
;
