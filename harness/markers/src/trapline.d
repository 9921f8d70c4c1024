/*
 * The probes of trapline-markers. The header is made of this:
 *
 *	dtrace -h -s trapline.d
 */

provider trapline {
	probe sizes(char c, uint8_t uc, short s, uint16_t us, int i, uint32_t ui, int64_t l, uint64_t ul);
	probe words(long l, unsigned long ul, void *p);
	probe text(char *text);
	probe many(int, int, int, int, int, int, int, int, int, int, int, int);
	probe none();
	probe two__sites(int site);
	probe in__line(int caller);
	probe costly(int round);
	probe child(int number);
	probe fire(long number);
};
