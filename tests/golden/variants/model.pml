/* answered: answered.down.send */
inline answered_down_send() {
    copy_message(answered_m_, queue[queue_slot].m);
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, answered_m_);
    assert(queue[queue_end].m.answered_header == 0); queue[queue_end].m.answered_header = ANSWERED_DATA;
    queue[queue_end].m.answered_Data_number = MY.answered.next;
    queued();
    tmp1 = (((MY.answered.next + 1)) & 255);
    MY.answered.next = tmp1;
}
/* answered: answered.up.deliver.Data */
inline answered_up_deliver_Data() {
    copy_message(answered_m_, queue[queue_slot].m);
    answered_number_ = answered_m_.answered_Data_number;
    answered_m_.answered_Data_number = 0;
    answered_m_.answered_header = 0;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    zero_message(queue[queue_end].m);
    assert(queue[queue_end].m.answered_header == 0); queue[queue_end].m.answered_header = ANSWERED_ANSWER;
    queue[queue_end].m.answered_Answer_number = answered_number_;
    queued();
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
    copy_message(queue[queue_end].m, answered_m_);
    queued();
}
/* answered: answered.up.deliver.Answer */
inline answered_up_deliver_Answer() {
    copy_message(answered_m_, queue[queue_slot].m);
    answered_number_ = answered_m_.answered_Answer_number;
    answered_m_.answered_Answer_number = 0;
    answered_m_.answered_header = 0;
    tmp2 = (((answered_number_ + 1)) & 255);
    MY.answered.answered = tmp2;
}
