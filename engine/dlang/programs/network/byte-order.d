#pragma D option quiet

/* The bytes as they lie in memory, and back. */
BEGIN
{
	this->two = (uint16_t *)alloca(2);
	*this->two = htons(0x1234);
	this->bytes = (uint8_t *)this->two;
	printf("%x %x %x\n", this->bytes[0], this->bytes[1], ntohs(*this->two));

	this->four = (uint32_t *)alloca(4);
	*this->four = htonl(0x12345678);
	this->bytes = (uint8_t *)this->four;
	printf("%x %x %x\n", this->bytes[0], this->bytes[3], ntohl(*this->four));

	this->eight = (uint64_t *)alloca(8);
	*this->eight = htonll(0x123456789abcdef0);
	this->bytes = (uint8_t *)this->eight;
	printf("%x %x %x\n", this->bytes[0], this->bytes[7], ntohll(*this->eight));

	printf("%x %d %d\n", ntohs(htons(0x12345)), sizeof(htons(1)), sizeof(htonll(1)));
	exit(0);
}
